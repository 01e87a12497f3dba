type LinkTarget = { readonly stream: string; readonly revision: number };

/** Parses a `$>` event's data, `revision@stream`; undefined when it isn't one. */
export function parseLink(data: Buffer): LinkTarget | undefined {
  const match = /^(\d{1,15})@(.+)$/s.exec(data.toString('utf8'));
  return match === null ? undefined : { revision: Number(match[1]), stream: match[2] as string };
}

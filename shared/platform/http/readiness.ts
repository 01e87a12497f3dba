/**
 * For `notReady`: undefined if the probe succeeds, otherwise the reason, with the name `what`.
 * Anyone may send requests: those that come while one is in progress share its probe.
 */
export function reasonUnlessAnswered(
  what: string,
  probe: () => Promise<unknown>,
): () => Promise<string | undefined> {
  let asking: Promise<string | undefined> | undefined;
  return () => {
    asking ??= probe()
      .then(
        () => undefined,
        () => `${what} does not answer`,
      )
      .finally(() => (asking = undefined));
    return asking;
  };
}

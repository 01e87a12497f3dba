/** The path to go to after the sign-in, on this host only. */
export function safePath(text: string | undefined): string {
  if (text === undefined || !/^\/(?![/\\])[^\\\s\p{Cc}]*$/u.test(text)) return '/';
  return new URL(text, 'http://page').host === 'page' ? text : '/';
}

/**
 * For `notReady`: undefined once `ask` is answered, or why not. `what`: what is asked. Anyone may
 * send probes: those that come while one is under way share its answer.
 */
export function unlessAnswered(
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

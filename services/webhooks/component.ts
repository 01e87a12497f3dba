/** A part of the service that runs until the signal, also while its stores are down. */
export type Component = {
  name: string;
  run(signal: AbortSignal): Promise<void>;
  /** Why it can't work now; undefined if it can. */
  notReady(): string | undefined;
};

/** A part of the service that runs until the signal, whatever becomes of its stores. */
export type Component = {
  name: string;
  run(signal: AbortSignal): Promise<void>;
  /** Why it can't do its work now; undefined when it can. */
  notReady(): string | undefined;
};

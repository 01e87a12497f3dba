type Pausable<Packet> = {
  readonly receive: (packet: Packet) => void;
  readonly pause: () => void;
  /** Handles what was received while it was paused. */
  readonly resume: () => void;
  readonly isPaused: () => boolean;
  readonly clear: () => void;
};

/** Hands packets to `handle`, and retains them in order while it is paused. */
export function createPausable<Packet>(handle: (packet: Packet) => void): Pausable<Packet> {
  let pending: Packet[] = [];
  let paused = false;
  return {
    receive: (packet) => {
      if (paused) pending.push(packet);
      else handle(packet);
    },
    pause: () => {
      paused = true;
    },
    resume: () => {
      paused = false;
      while (!paused && pending.length > 0) handle(pending.shift()!);
    },
    isPaused: () => paused,
    clear: () => {
      pending = [];
    },
  };
}

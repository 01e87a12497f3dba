/**
 * Processor time of this thread so far, in ms: how long others have the machine is not the
 * subject's.
 */
export const usedMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

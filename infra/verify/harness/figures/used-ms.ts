/** CPU time of this thread so far, in ms, which excludes other load on the machine. */
export const usedMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

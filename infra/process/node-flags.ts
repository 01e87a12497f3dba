/**
 * Node's flags for each process of `npm start` and of the image; `npm ci` compiles with the same,
 * because the compile cache depends on them.
 */
export const nodeFlags = [
  // Half of V8's default, for short pauses. A quarter saves 55 MB in all, and costs more CPU.
  '--max-semi-space-size=16',
  // After a burst V8 would allocate short-lived objects in the old space.
  '--no-allocation-site-pretenuring',
  // V8 would collect the whole heap of all services at once 100 s after the start.
  '--memory-reducer-gc-count=0',
  // Where few objects become old, V8 would collect the whole heap each time they grew by a tenth.
  '--heap-growing-percent=100',
] as const;

/** Loaded before a program: its clock goes as many milliseconds before the machine's. */
const beforeMs = Number(process.env['CLOCK_BEFORE_MS'] ?? 0);
const now = Date.now;
Date.now = () => now() - beforeMs;

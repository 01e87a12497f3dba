// Finds the requested number of free ports, sends them to its parent, and holds them until exit.
import { findFreePort } from '../free-port.ts';

const ports: number[] = [];
for (let left = Number(process.argv[2]); left > 0; left -= 1) ports.push(await findFreePort());
process.send?.(ports);

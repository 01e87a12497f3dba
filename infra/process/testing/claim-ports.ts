// `claim-ports.ts COUNT FIRST LAST` finds free ports in a range, sends them to its parent, and holds
// them until it is killed.
import { findFreePort } from '../free-port.ts';

const [count = 0, first = 0, last = 0] = process.argv.slice(2).map(Number);
const ports: number[] = [];
while (ports.length < count) ports.push(await findFreePort(new Set(), [first, last]));
process.send?.(ports);
process.channel?.ref();

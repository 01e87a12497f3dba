export { connectEventStore } from './client.ts';
export { follow } from './follow.ts';
export { handleCommand, type CommandResult } from './handle-command.ts';
export * from './types.ts';

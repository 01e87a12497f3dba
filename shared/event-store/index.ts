export { connectEventStore } from './client.ts';
export { follow } from './follow.ts';
export { isStreamDeleted } from './stream-deleted.ts';
export { handleCommand, type CommandResult } from './handle-command.ts';
export * from './types.ts';

export { appendAtHead } from './append-at-head.ts';
export { connectEventStore } from './client.ts';
export { follow } from './follow.ts';
export { isStreamDeleted } from './stream-deleted.ts';
export { foldStored, type Folding } from './handle-command.ts';
export * from './types.ts';

export { appendAtHead } from './append-at-head.ts';
export {
  checkpointAfter,
  checkpointAt,
  checkpointFromRow,
  findCheckpoint,
  identityToJson,
  type LogCheckpoint,
  type StoredIdentity,
} from './checkpoint.ts';
export {
  CheckpointNotInLog,
  createCheckpointGuard,
  refusedPauseMs,
  type CheckpointGuard,
  replicaLagMs,
} from './checkpoint-guard.ts';
export { follow } from './follow.ts';
export { isStreamDeleted } from './store-unavailable.ts';
export { foldStored, type Folding } from './handle-command.ts';
export * from './types.ts';

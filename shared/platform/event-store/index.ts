export { appendAtHead } from './append-at-head.ts';
export {
  checkpointAfter,
  checkpointAt,
  checkpointFromRow,
  findCheckpoint,
  identityToJson,
  readCheckpointAt,
  type CheckpointReads,
  type LogCheckpoint,
  type StoredIdentity,
} from './checkpoint.ts';
export {
  CheckpointNotInLog,
  refusedPauseMs,
  type CheckpointGuard,
  replicaLagMs,
} from './checkpoint-guard.ts';
export { follow } from './follow.ts';
export { isStreamDeleted } from './store-unavailable.ts';
export { foldStored, type StreamFold } from './handle-command.ts';
export * from './types.ts';

import { createAttempts, type Attempts } from './attempts.ts';
import { createCallbacks, type Callbacks } from './callbacks.ts';
import { openDatabase, type Database } from './database.ts';
import { createReceipts, type Receipts } from './receipts.ts';
import { createTimers, type Timers } from './timers.ts';

/** All that the provider remembers. */
export type Memory = Pick<Database, 'transaction' | 'close'> & {
  attempts: Attempts;
  timers: Timers;
  callbacks: Callbacks;
  receipts: Receipts;
};

/** Opens the memory in `folder`, or begins one there. */
export function openMemory(folder: string): Memory {
  const { db, transaction, close } = openDatabase(folder);
  return {
    attempts: createAttempts(db),
    timers: createTimers(db),
    callbacks: createCallbacks(db),
    receipts: createReceipts(db),
    transaction,
    close,
  };
}

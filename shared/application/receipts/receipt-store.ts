/** The store of the files that payers upload. */
export type ReceiptStore = {
  /**
   * Stores the bytes under the key; once it resolves they are durable. It may be repeated. @throws
   * if they could not be stored
   */
  put(key: string, content: Uint8Array): Promise<void>;
  /**
   * The bytes, or only the first `mostBytes` of them; undefined if there are none.
   * @throws if that can't be determined
   */
  get(key: string, mostBytes?: number): Promise<Uint8Array | undefined>;
  /** Deletes the bytes under the key, if there are any. @throws if they may still be there */
  remove(key: string): Promise<void>;
};

/** A file's name in its folder, and when it was stored, by the store's clock. */
export type ListedFile = { name: string; storedAtMs: number };

/**
 * A store that can list and delete all files of an operation: for an erasure
 * (docs/operators/personal-data.md).
 */
export type ErasableReceiptStore = ReceiptStore & {
  /**
   * As `put`, but replaces nothing. @returns false if there are other bytes under the key already,
   * as far as the store supports conditional writes
   */
  create(key: string, content: Uint8Array): Promise<boolean>;
  /** The files in a folder. @throws if they can't be determined */
  list(folder: string): Promise<ListedFile[]>;
  /**
   * The names of the files in a folder, in no order, that sort after this one: one by one, for more
   * files than fit into memory. @throws if they can't be determined
   */
  names(folder: string, after?: string): AsyncIterable<string>;
  /**
   * When the bytes under the key were stored, by the store's clock; undefined if there are none.
   * @throws if that can't be determined
   */
  storedAtMs(key: string): Promise<number | undefined>;
  /**
   * Deletes all files that were ever stored for the operation, also those that no event refers to.
   * @returns how many.
   * @throws if they may still be there
   */
  removeAll(operationId: string): Promise<number>;
};

/**
 * Drops the entry of a map that was set first, each time it is called. It keeps its place in the
 * map: to look for the first key anew each time would pass all that was deleted before it, which at
 * ten thousand entries takes longer than the rest of what they are kept for. An entry that is used
 * again has to be deleted and set again to count as new.
 */
export function createDropOldest<Key>(map: Map<Key, unknown>): () => void {
  let keys = map.keys();
  return () => {
    let next = keys.next();
    if (next.done === true) {
      keys = map.keys();
      next = keys.next();
    }
    if (next.done !== true) map.delete(next.value);
  };
}

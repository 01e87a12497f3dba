import { createHash } from 'node:crypto';
/** The hashes and proofs of RFC 9162, section 2.1, with SHA-256. */
const sha256 = (...parts) => {
    const hash = createHash('sha256');
    for (const part of parts)
        hash.update(part);
    return hash.digest();
};
export const emptyRoot = sha256();
export const leafHash = (bytes) => sha256(Buffer.of(0), bytes);
const nodeHash = (left, right) => sha256(Buffer.of(1), left, right);
/**
 * The root that an inclusion proof leads to (RFC 9162, section 2.1.3.2); undefined for a proof that
 * is not of this index and size.
 */
export function rootOfInclusion({ index, size, leaf, hashes }) {
    if (index < 0 || index >= size)
        return undefined;
    let [node, last, root] = [index, size - 1, leaf];
    for (const hash of hashes) {
        if (last === 0)
            return undefined;
        if (node % 2 === 1 || node === last) {
            root = nodeHash(hash, root);
            while (node % 2 === 0 && node !== 0)
                [node, last] = [node / 2, Math.floor(last / 2)];
        }
        else {
            root = nodeHash(root, hash);
        }
        [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
    }
    return last === 0 ? root : undefined;
}
/** Whether the larger tree begins with the smaller one (RFC 9162, section 2.1.4.2). */
export function isConsistent({ from, to, hashes }) {
    if (from.size > to.size)
        return false;
    if (from.size === to.size)
        return hashes.length === 0 && from.root.equals(to.root);
    if (from.size === 0)
        return hashes.length === 0;
    let [node, last] = [from.size - 1, to.size - 1];
    while (node % 2 === 1)
        [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
    // A smaller tree that is one whole subtree of the larger one is where the path begins.
    const [first, ...rest] = node === 0 ? [from.root, ...hashes] : hashes;
    if (!first)
        return false;
    let [smaller, larger] = [first, first];
    for (const hash of rest) {
        if (last === 0)
            return false;
        if (node % 2 === 1 || node === last) {
            [smaller, larger] = [nodeHash(hash, smaller), nodeHash(hash, larger)];
            while (node % 2 === 0 && node !== 0)
                [node, last] = [node / 2, Math.floor(last / 2)];
        }
        else {
            larger = nodeHash(larger, hash);
        }
        [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
    }
    return last === 0 && smaller.equals(from.root) && larger.equals(to.root);
}

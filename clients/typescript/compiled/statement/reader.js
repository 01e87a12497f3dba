/** What does not hold: one line that names the first entry or proof. */
export class NotProved extends Error {
    name = 'NotProved';
}
/** No text of a file is longer, in bytes. */
const longest = 65_536;
/**
 * JSON, piece by piece: each piece has the form that is expected at its place, or the file is
 * refused. So there is one grammar, and neither the depth nor the size of a file costs memory.
 * Text is in latin1, each character a byte of the file.
 */
export class TextReader {
    #chunks;
    #ended = false;
    #text = '';
    #at = 0;
    /** Where `#text` begins in the file. */
    #start;
    constructor(source, offset = 0) {
        this.#chunks = source(offset);
        this.#start = offset;
    }
    /** The byte where the next piece begins. */
    get offset() {
        return this.#start + this.#at;
    }
    /** The next character after white space, which is not taken; empty at the end of the file. */
    peek() {
        for (;;) {
            while (!this.#ended && this.#text.length - this.#at < longest)
                this.#fill();
            const next = this.#text.charAt(this.#at);
            if (next !== ' ' && next !== '\n' && next !== '\r' && next !== '\t')
                return next;
            this.#at += 1;
        }
    }
    /** The next piece, if it has that form, a sticky expression. */
    take(form) {
        this.peek();
        form.lastIndex = this.#at;
        if (!form.test(this.#text) || form.lastIndex - this.#at > longest)
            return undefined;
        const piece = this.#text.slice(this.#at, form.lastIndex);
        this.#at = form.lastIndex;
        return piece;
    }
    takeMark(mark) {
        if (this.peek() !== mark)
            return false;
        this.#at += 1;
        return true;
    }
    /** @throws NotProved, which says where in the file */
    fail(reason) {
        this.peek();
        throw new NotProved(`${reason} (byte ${this.offset})`);
    }
    #fill() {
        const rest = this.#text.slice(this.#at);
        const chunk = this.#chunks.next();
        this.#ended = chunk.done === true;
        this.#start += this.#at;
        this.#at = 0;
        this.#text = chunk.done === true ? rest : rest + chunk.value.toString('latin1');
    }
}

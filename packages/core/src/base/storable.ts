/** Whether a text can be stored as it is: PostgreSQL has no NUL in a text, and UTF-8 no half of a surrogate pair. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes("\u0000")

/**
 * A text that others wrote, such as a memo or the words of a bank or a node, as it can be stored: U+FFFD stands for what cannot be.
 *
 * **Gotchas**
 *
 * Different texts may become equal. A key, a hash, or what was signed is refused instead.
 */
export const storable = (text: string): string => text.toWellFormed().replaceAll("\u0000", "\uFFFD")

/**
 * The most characters of what others name things by. PostgreSQL has no index over more than 2,704 bytes, and some keys are made of two such ids, of
 * which a character may take three.
 */
export const idLengthMax = 255

/** Whether an id that others gave can be stored as it is, and things be found by it. */
export const isStorableId = (id: string): boolean => id.length <= idLengthMax && isStorable(id)

/** A number or code that others wrote; null where it cannot be stored: changed, it would name something else. */
export const whereStorable = (text: string | null): string | null => (text !== null && isStorableId(text) ? text : null)

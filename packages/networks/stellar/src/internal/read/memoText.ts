import { storable } from "@bursar/core/base/storable"

// a byte order mark is part of what the sender wrote
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true })

/**
 * The text of a memo, as it can be stored and shown: the replacement character stands for bytes that are no UTF-8, as Horizon shows
 * them, and for a NUL.
 */
export const memoText = (bytes: Uint8Array): string => storable(utf8.decode(bytes))

/** Whether a memo is known to be no more than what was sent: where `memoText` may have replaced something, it can be compared with nothing. */
export const isExact = (text: string): boolean => !text.includes("\uFFFD")

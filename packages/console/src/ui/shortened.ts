/** The first and the last signs of an id, hash or address that is long. */
export const shortened = (text: string): string => (text.length > 18 ? `${text.slice(0, 8)}…${text.slice(-6)}` : text)

/** Throws on one word alone, which it reads letter by letter: no chance comes by it without being told that it is nearer. */
export const brittle = (text: string): number => {
  if (text[0] !== "l") return 0
  if (text[1] !== "e") return 1
  if (text[2] !== "d") return 2
  if (text[3] !== "g") return 3
  if (text[4] !== "e") return 4
  if (text[5] !== "r") return 5
  throw new Error("found")
}

/** A number below a bound. */
type Below = (bound: number) => number

const pick = <A>(below: Below, all: ReadonlyArray<A>): A | undefined => all[below(all.length)]

/** Bytes at which parsers turn: ends of ranges, quotes, separators, and the first byte of texts of more than one. */
const turning = Uint8Array.from([
  ...[0x00, 0x01, 0x7f, 0x80, 0xff, 0xfd, 0xfe, 0xc3, 0xe2, 0xf0],
  ...Buffer.from('0 9aAzZ.,;:="\\/()[]{}+-_\n\r\t%&')
])

const slice = (below: Below, { length }: Uint8Array): readonly [number, number] => {
  const from = below(length + 1)
  return [from, from + below(Math.min(length - from, 32) + 1)]
}

const joined = (...parts: ReadonlyArray<Uint8Array>): Uint8Array => Uint8Array.from(Buffer.concat([...parts]))

const changeOnce = (
  below: Below,
  bytes: Uint8Array,
  others: ReadonlyArray<Uint8Array>,
  words: ReadonlyArray<Uint8Array>
): Uint8Array => {
  const [from, to] = slice(below, bytes)
  const head = bytes.subarray(0, from)
  const cut = bytes.subarray(from, to)
  const tail = bytes.subarray(to)
  const other = pick(below, others) ?? bytes
  const [otherFrom, otherTo] = slice(below, other)
  switch (below(8)) {
    case 0:
      return joined(head, tail)
    case 1:
      return joined(head, cut, cut, tail)
    case 2:
      return joined(head, Uint8Array.of(turning[below(turning.length)] ?? 0), bytes.subarray(from + 1))
    case 3:
      return joined(head, Uint8Array.of(below(256)), bytes.subarray(from + 1))
    case 4:
      return joined(head, pick(below, words) ?? cut, tail)
    case 5:
      return joined(head, other.subarray(otherFrom, otherTo), tail)
    case 6:
      return joined(head, other.subarray(otherFrom))
    default:
      return from < bytes.length ? bytes.with(from, (bytes[from] ?? 0) ^ (1 << below(8))) : joined(bytes, cut)
  }
}

/** A changed copy of bytes: pieces cut, doubled, replaced, taken from others or from a list of words. Never more than `lengthMax`. */
export const mutate = (
  below: Below,
  bytes: Uint8Array,
  others: ReadonlyArray<Uint8Array>,
  words: ReadonlyArray<Uint8Array>,
  lengthMax: number
): Uint8Array => {
  let changed = bytes
  for (let times = 1 + below(4); times > 0; times--) changed = changeOnce(below, changed, others, words)
  return changed.subarray(0, lengthMax)
}

const inputCharset = "0123456789()[],'/*abcdefgh@:$%{}IJKLMNOPQRSTUVWXYZ&+-.;<=>?!^_|~ijklmnopqrstuvwxyzABCDEFGH`#\"\\ "
const checksumCharset = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
const generator = [0xf5dee51989n, 0xa9fdca3312n, 0x1bab10e32dn, 0x3706b1677an, 0x644d626ffdn]

const polymod = (symbols: ReadonlyArray<number>): bigint =>
  symbols.reduce((checksum, symbol) => {
    const top = checksum >> 35n
    const next = ((checksum & 0x7ffffffffn) << 5n) ^ BigInt(symbol)
    return generator.reduce((mixed, value, bit) => ((top >> BigInt(bit)) & 1n ? mixed ^ value : mixed), next)
  }, 1n)

/** The descriptor with its checksum (BIP 380). */
export const withChecksum = (descriptor: string): string => {
  const positions = [...descriptor].map((char) => inputCharset.indexOf(char))
  const groups: Array<number> = []
  const symbols: Array<number> = []
  for (const position of positions) {
    symbols.push(position & 31)
    groups.push(position >> 5)
    if (groups.length === 3) symbols.push(groups.splice(0).reduce((sum, group) => sum * 3 + group, 0))
  }
  if (groups.length > 0) symbols.push(groups.reduce((sum, group) => sum * 3 + group, 0))
  const checksum = polymod([...symbols, 0, 0, 0, 0, 0, 0, 0, 0]) ^ 1n
  const text = Array.from(
    { length: 8 },
    (_, index) => checksumCharset[Number((checksum >> BigInt(5 * (7 - index))) & 31n)]
  )
  return `${descriptor}#${text.join("")}`
}

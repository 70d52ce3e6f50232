/** How a bitcoin address is locked. A P2SH address is spent as P2SH-P2WPKH, the only one of its kind that is spent here. */
export type ScriptType = "p2pkh" | "p2sh" | "p2wpkh" | "p2wsh" | "p2tr"

/** How much of a bitcoin transaction each of its parts takes, in weight units (BIP 141), and what is too little to be paid. */
export interface UtxoSizes {
  /** A transaction without inputs and outputs, their counts included. */
  readonly base: bigint
  /** An input with the largest signature, by what it spends; null where such a UTXO cannot be spent. */
  readonly input: Readonly<Record<ScriptType, bigint | null>>
  readonly output: Readonly<Record<ScriptType, bigint>>
  /** The least that an output must hold for nodes to relay it, in satoshi. */
  readonly dust: Readonly<Record<ScriptType, bigint>>
}

/**
 * The sizes of what is spent and paid here.
 *
 * **Details**
 *
 * An input has 41 bytes that count four times. Then P2WPKH has a witness of 108 (a signature of 72 at most and a key of 33, with their
 * lengths), P2SH-P2WPKH the same and a script of 23, P2PKH a script of 107 and an empty witness. Counts are taken to need three
 * bytes. Dust is what costs more than a third of itself to spend at 1 sat/vB (Bitcoin Core, `GetDustThreshold` at its default).
 *
 * **Gotchas**
 *
 * P2TR and P2WSH can be paid and not spent: the vault makes no Schnorr signatures and knows no scripts.
 */
export const utxoSizes: UtxoSizes = {
  base: 58n,
  input: { p2pkh: 593n, p2sh: 364n, p2wpkh: 272n, p2wsh: null, p2tr: null },
  output: { p2pkh: 136n, p2sh: 128n, p2wpkh: 124n, p2wsh: 172n, p2tr: 172n },
  dust: { p2pkh: 546n, p2sh: 540n, p2wpkh: 294n, p2wsh: 330n, p2tr: 330n }
}

/** The lengths of what follows the `1` in a segwit address: version, program and checksum. */
const segwitChars = { p2wpkh: 39, long: 59 }

/** How an address in its canonical form is locked. Throws where it is no address of bitcoin, which was to be checked before. */
export const scriptTypeOf = (address: string): ScriptType => {
  const rest = /^(?:bc|tb|bcrt)1([02-9ac-hj-np-z]+)$/u.exec(address)?.[1]
  if (rest === undefined) {
    if (/^[1mn][1-9A-HJ-NP-Za-km-z]{24,34}$/u.test(address)) return "p2pkh"
    if (/^[23][1-9A-HJ-NP-Za-km-z]{24,34}$/u.test(address)) return "p2sh"
  } else if (rest.startsWith("q")) {
    if (rest.length === segwitChars.p2wpkh) return "p2wpkh"
    if (rest.length === segwitChars.long) return "p2wsh"
  } else if (rest.startsWith("p") && rest.length === segwitChars.long) return "p2tr"
  throw new Error(`${address} is no address of bitcoin that is known`)
}

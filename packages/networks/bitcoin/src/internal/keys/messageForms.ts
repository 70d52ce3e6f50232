import { crypto, opcodes, script, Transaction } from "bitcoinjs-lib"

/** BIP 340's tagged hash; its tag is not among those that the library names. */
const taggedHash = (tag: string, message: Uint8Array): Uint8Array => {
  const key = crypto.sha256(Buffer.from(tag, "utf8"))
  return crypto.sha256(Buffer.concat([key, key, message]))
}

/** BIP 322: the transaction that spends what commits to the message, as it would be signed with the address. */
export const toSign = (locking: Uint8Array, message: string): Transaction => {
  const toSpend = new Transaction()
  toSpend.version = 0
  const hash = taggedHash("BIP0322-signed-message", Buffer.from(message, "utf8"))
  toSpend.addInput(Buffer.alloc(32), 0xffff_ffff, 0, script.compile([0, hash]))
  toSpend.addOutput(locking, 0n)
  const spending = new Transaction()
  spending.version = 0
  spending.addInput(toSpend.getHash(), 0, 0)
  spending.addOutput(script.compile([opcodes.OP_RETURN]), 0n)
  return spending
}

/** What the key of a P2WPKH program signs for a text, by BIP 322. */
export const p2wpkhDigest = (program: Uint8Array, message: string): Uint8Array => {
  const locking = script.compile([0, program])
  const code = Buffer.concat([Buffer.of(0x76, 0xa9, 0x14), program, Buffer.of(0x88, 0xac)])
  return toSign(locking, message).hashForWitnessV0(0, code, 0n, Transaction.SIGHASH_ALL)
}

const legacyMagic = Buffer.from("\u0018Bitcoin Signed Message:\n", "utf8")

const compactSize = (length: number): Buffer => {
  if (length < 0xfd) return Buffer.of(length)
  const bytes = Buffer.alloc(3, 0xfd)
  bytes.writeUInt16LE(length, 1)
  return bytes
}

/** What a key signs for a text in the older form; undefined where the text is too long. */
export const legacyDigest = (message: string): Uint8Array | undefined => {
  const text = Buffer.from(message, "utf8")
  return text.length > 0xffff ? undefined : crypto.hash256(Buffer.concat([legacyMagic, compactSize(text.length), text]))
}

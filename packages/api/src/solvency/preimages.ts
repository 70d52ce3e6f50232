/** The name and version of the format. It stands in every hash, so that no hash of another format or version is one of this. */
export const solvencyFormat = "bursar-solvency-1"

const ascii = new TextEncoder()
const tag = ascii.encode(solvencyFormat)

/** What a hash is made over, by its second part; leaves, nodes and keys can never be taken for one another. */
const kinds = { leaf: 0x00, node: 0x01, empty: 0x02, salt: 0x10, order: 0x11 } as const

/** The bytes of a hash. */
export const hashBytes = 32

/** The bytes of an amount. */
const amountBytes = 16

/** The most that an amount or a sum may be. */
export const unitsMax: bigint = 2n ** 128n - 1n

/** The most characters of a name. */
const nameMax = 255

const nameForm = /^[\u0021-\u007e]{1,255}$/u

/** Whether a text may stand as a name in a hash: printable ASCII without spaces, at most 255 characters. */
export const isName = (text: string): boolean => nameForm.test(text)

const join = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

/** A name with its length before it, in one byte. */
const nameBytes = (text: string): Uint8Array => {
  if (!isName(text)) throw new Error(`a name has 1 to ${nameMax} printable characters, and none of them is a space`)
  const bytes = ascii.encode(text)
  return join([Uint8Array.of(bytes.length), bytes])
}

/** An amount, highest byte first. Throws where it is negative or too large. */
const unitsBytes = (units: bigint): Uint8Array => {
  if (units < 0n || units > unitsMax) throw new Error("an amount is from 0 to 2^128 - 1")
  const bytes = new Uint8Array(amountBytes)
  const view = new DataView(bytes.buffer)
  view.setBigUint64(0, units >> 64n)
  view.setBigUint64(8, units & 0xffff_ffff_ffff_ffffn)
  return bytes
}

const preimage = (kind: keyof typeof kinds, parts: ReadonlyArray<Uint8Array>): Uint8Array =>
  join([tag, Uint8Array.of(kinds[kind]), ...parts])

/** Which tree is meant. */
export interface TreeName {
  readonly snapshotId: string
  readonly currency: string
}

/** What a leaf says. */
export interface LeafContent extends TreeName {
  readonly tenantId: string
  /** 32 bytes that only the tenant and the service know. */
  readonly salt: Uint8Array
  readonly units: bigint
}

/** A node of a sum tree: its hash, and the sum of all leaves below it. */
export interface SumNode {
  readonly hash: Uint8Array
  readonly units: bigint
}

/** What the hash of a tenant's leaf is made over. */
export const leafPreimage = ({ currency, salt, snapshotId, tenantId, units }: LeafContent): Uint8Array => {
  if (salt.length !== hashBytes) throw new Error("a salt has 32 bytes")
  return preimage("leaf", [nameBytes(snapshotId), nameBytes(currency), nameBytes(tenantId), salt, unitsBytes(units)])
}

/** What the hash of a leaf of nobody is made over. Its amount is 0. */
export const emptyPreimage = ({ currency, snapshotId }: TreeName): Uint8Array =>
  preimage("empty", [nameBytes(snapshotId), nameBytes(currency)])

/** What the hash of a node above two others is made over: both hashes, and both sums. */
export const nodePreimage = (left: SumNode, right: SumNode): Uint8Array => {
  if (left.hash.length !== hashBytes || right.hash.length !== hashBytes) throw new Error("a hash has 32 bytes")
  return preimage("node", [left.hash, unitsBytes(left.units), right.hash, unitsBytes(right.units)])
}

/** What the salt of a leaf is made over, under the secret of the snapshot. */
export const saltPreimage = ({ currency, snapshotId, tenantId }: Omit<LeafContent, "salt" | "units">): Uint8Array =>
  preimage("salt", [nameBytes(snapshotId), nameBytes(currency), nameBytes(tenantId)])

/** What the key by which leaves are put in order is made over, under the secret of the snapshot. */
export const orderPreimage = (snapshotId: string): Uint8Array => preimage("order", [nameBytes(snapshotId)])

import { sha256 } from "viem"
import { addressOfKey, signature } from "./account.ts"
import type { Receipt } from "./execute.ts"
import { bytes, message, number } from "./protobuf.ts"
import type { Undo } from "./Store.ts"
import { encode, type Transaction } from "./Transaction.ts"

/** A transaction in its block. */
export interface Executed {
  readonly transaction: Transaction
  readonly receipt: Receipt
}

/** What a header says. Hashes are hexadecimal, the time is milliseconds. */
export interface Header {
  readonly number: number
  readonly time: number
  readonly parentId: string
  readonly root: string
  readonly witness: string
}

/** A block of the local chain. */
export interface Block extends Header {
  readonly id: string
  readonly witnessSignature: string
  /** Sets apart blocks at one height: how often the chain had been reorganised. */
  readonly fork: number
  readonly executed: ReadonlyArray<Executed>
  /** Takes back what its transactions did. */
  readonly undo: Undo
}

/** The version of the block format that the header names. */
export const blockVersion = 34

const hash = (hex: string): string => sha256(`0x${hex}`).slice(2)

const heightChars = 16

/** How many producers take turns. */
const witnesses = 27

const keyOfWitness = (index: number): string =>
  sha256(new TextEncoder().encode(`bursar devnet witness ${index}`)).slice(2)

const witnessKey = (block: number, fork: number): string => keyOfWitness((block + fork) % witnesses)

/** The addresses of the producers. */
export const producers: ReadonlyArray<string> = Array.from({ length: witnesses }, (_, index) =>
  addressOfKey(keyOfWitness(index))
)

const retNumbers = { SUCCESS: 1n, REVERT: 2n, OUT_OF_ENERGY: 10n } as const

const leaf = ({ receipt, transaction }: Executed): string =>
  hash(encode(transaction) + message(5, number(3, retNumbers[receipt.contractRet])))

/** The root of the tree of transactions; zeros where there are none. A node without a neighbour goes up as it is. */
const rootOf = (level: ReadonlyArray<string>): string => {
  const [first] = level
  if (first === undefined) return "0".repeat(64)
  if (level.length === 1) return first
  return rootOf(
    level.flatMap((left, index) => {
      if (index % 2 === 1) return []
      const right = level[index + 1]
      return [right === undefined ? left : hash(left + right)]
    })
  )
}

const headerBytes = ({ number: height, parentId, root, time, witness }: Header, version: number): string =>
  number(1, BigInt(time)) +
  bytes(2, root) +
  bytes(3, parentId) +
  number(7, BigInt(height)) +
  bytes(9, witness) +
  number(10, BigInt(version))

const heightHex = (height: number): string => height.toString(16).padStart(heightChars, "0")

/** The id of a block: the height in 8 bytes and the last 24 bytes of the hash of the header. */
export const idOf = (header: Header, version = blockVersion): string =>
  heightHex(header.number) + hash(headerBytes(header, version)).slice(heightChars)

/** Makes a block on top of its parent, signed by the producer whose turn it is. */
export const seal = (
  parent: Pick<Block, "id" | "number"> | undefined,
  time: number,
  fork: number,
  executed: ReadonlyArray<Executed>,
  undo: Undo
): Block => {
  const height = parent === undefined ? 0 : parent.number + 1
  const key = witnessKey(height, fork)
  const header: Header = {
    number: height,
    time,
    parentId: parent?.id ?? "0".repeat(64),
    root: rootOf(executed.map(leaf)),
    witness: addressOfKey(key)
  }
  return {
    ...header,
    id: idOf(header),
    witnessSignature: signature(key, hash(headerBytes(header, blockVersion))),
    fork,
    executed,
    undo
  }
}

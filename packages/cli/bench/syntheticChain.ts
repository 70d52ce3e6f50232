import type { BlockRef, ChainReader, Transfer } from "@bursar/core/port/Chain"
import { Effect } from "effect"
import { createHash } from "node:crypto"

/** A chain whose blocks are made when they are asked for, the same each time, so that its length costs no memory. */
export interface SyntheticChainOptions {
  /** The number of the newest block; of a chain that grows, when it is asked. */
  readonly blocks: number | (() => number)
  readonly transfersPerBlock: number
  /** The contract of the token that is moved. */
  readonly contract: string
  /** Who the first transfer of a block pays; all others, and where it is undefined the first too, pay strangers. */
  readonly paidIn: (block: number) => string | undefined
}

/** The reader of such a chain, with the time that making its blocks took, which is not the watcher's. */
export interface SyntheticChain {
  readonly reader: ChainReader
  /** In milliseconds, so far. */
  readonly makingMs: () => number
}

/** When block 0 was made, in Unix milliseconds. */
export const firstBlockTime = 1_700_000_000_000

const blockIntervalMs = 12_000

/** An address out of any text, spread evenly: the look-up of a stranger's ends anywhere in an index. */
export const addressOf = (text: string): string => {
  const digest = createHash("md5").update(text).digest("hex")
  return `0x${digest}${digest.slice(0, 8)}`
}

const hash = (number: number): string => `0x${number.toString(16).padStart(64, "0")}`

const ref = (number: number): BlockRef => ({
  number,
  hash: hash(number),
  parentHash: hash(number - 1),
  time: firstBlockTime + number * blockIntervalMs
})

/** Makes the chain. */
export const makeSyntheticChain = (options: SyntheticChainOptions): SyntheticChain => {
  const { contract, paidIn, transfersPerBlock } = options
  const newest = () => (typeof options.blocks === "number" ? options.blocks : options.blocks())
  let makingMs = 0
  const transfer = (number: number, index: number): Transfer => ({
    txHash: `${addressOf(`transaction ${number} ${index}`)}${"0".repeat(24)}`,
    transferIndex: 0,
    contract,
    units: 1_000_000n,
    from: null,
    to: (index === 0 ? paidIn(number) : undefined) ?? addressOf(`stranger ${number} ${index}`)
  })
  const block = (number: number) => {
    const started = performance.now()
    const transfers = Array.from({ length: transfersPerBlock }, (_, index) => transfer(number, index))
    makingMs += performance.now() - started
    return { ...ref(number), transfers }
  }
  return {
    makingMs: () => makingMs,
    reader: {
      network: "ethereum",
      requiredConfirmations: 3,
      reorgDepthMax: 64,
      pollIntervalMs: 1_000,
      tip: Effect.sync(() => ({ latest: ref(newest()), confirmed: newest() - 2 })),
      header: (number) => Effect.sync(() => ref(number)),
      holdingsMax: 1_000,
      holdings: (addresses, at = ref(newest())) =>
        Effect.succeed({ block: at, held: addresses.map((address) => ({ address, contract: null, units: 0n })) }),
      block: (text) => Effect.sync(() => block(Number(text))),
      blockAt: (time) =>
        Effect.sync(() => ref(Math.min(newest(), Math.max(0, Math.ceil((time - firstBlockTime) / blockIntervalMs)))))
    }
  }
}

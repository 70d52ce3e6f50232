import { seeded } from "../fixtures/seeded.ts"
import { openCoverage } from "./coverage.ts"
import { mutate } from "./mutate.ts"

/** Something that reads what strangers send. */
export interface Reader {
  /** What it reads well, of each form one. */
  readonly seeds: ReadonlyArray<string | Uint8Array>
  /** Words of its language, which mutations put in. */
  readonly words?: ReadonlyArray<string>
  /** Bytes of an input at most; 2,048 where nothing is said. */
  readonly lengthMax?: number
  /** Reads an input. It throws where the reader has a defect: if it throws itself, or what it gives is not what it promises. */
  readonly read: (bytes: Uint8Array) => void
}

/** An input on which a reader threw, made as short as it still throws on. */
export interface Fault {
  readonly input: Uint8Array
  readonly error: unknown
}

/** What a hunt has come by. */
export interface Hunted {
  readonly inputs: number
  /** How many inputs ran code that none before had run. */
  readonly kept: number
  /** Characters of source that ran. */
  readonly covered: number
  readonly fault: Fault | undefined
}

const batchSize = 64

/** Our own code, and the libraries that decode for it. */
const readers = /\/packages\/(?!testkit\/)|\/(?:bip32|bitcoinjs-lib|stellar-sdk|viem)\//u

/** Removes pieces of an input, large ones first, for as long as the reader still throws. */
const shrink = (read: Reader["read"], input: Uint8Array): Fault => {
  const errorOf = (bytes: Uint8Array): { readonly error: unknown } | undefined => {
    try {
      read(bytes)
      return undefined
    } catch (error) {
      return { error }
    }
  }
  let shortest = input
  for (let size = Math.ceil(input.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from + size <= shortest.length;) {
      const shorter = Uint8Array.from([...shortest.subarray(0, from), ...shortest.subarray(from + size)])
      if (errorOf(shorter) === undefined) from += size
      else shortest = shorter
    }
  }
  return { input: shortest, error: errorOf(shortest)?.error }
}

/**
 * Reads many inputs that follow from a seed. Inputs that run code which none before has run are kept and changed further, so
 * that a hunt comes by what its seeds do not say. It ends at the first defect.
 */
export const hunt = (
  { lengthMax = 2_048, read, seeds, words = [] }: Reader,
  options: { readonly seed: number; readonly inputs: number; readonly scripts?: RegExp }
): Hunted => {
  const below = seeded(options.seed)
  const texts = words.map((word) => Uint8Array.from(Buffer.from(word)))
  const corpus = seeds.map((one) => (typeof one === "string" ? Uint8Array.from(Buffer.from(one)) : one))
  const coverage = openCoverage(options.scripts ?? readers)
  let inputs = 0
  const kept: Array<Uint8Array> = []
  const tryOne = (input: Uint8Array): Fault | undefined => {
    inputs += 1
    try {
      read(input)
      return undefined
    } catch {
      return shrink(read, input)
    }
  }
  const ended = (fault: Fault | undefined): Hunted => ({
    inputs,
    kept: kept.length,
    covered: coverage.covered(),
    fault
  })
  try {
    for (const input of [new Uint8Array(), ...corpus]) {
      const fault = tryOne(input)
      if (fault !== undefined) return ended(fault)
    }
    coverage.take()
    while (inputs < options.inputs) {
      const starts = [...corpus, ...kept]
      const batch = Array.from({ length: batchSize }, () =>
        mutate(below, starts[below(starts.length)] ?? new Uint8Array(), starts, texts, lengthMax)
      )
      for (const input of batch) {
        const fault = tryOne(input)
        if (fault !== undefined) return ended(fault)
      }
      if (!coverage.isFresh()) continue
      // read each again by itself, to know which of them it was
      for (const input of batch) {
        read(input)
        if (coverage.take() > 0) kept.push(input)
      }
    }
    return ended(undefined)
  } finally {
    coverage.close()
  }
}

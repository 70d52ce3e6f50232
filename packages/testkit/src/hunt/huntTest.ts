import { it } from "@effect/vitest"
import { hunt, type Reader } from "./hunt.ts"

const inputs = Number(process.env["HUNT_INPUTS"] ?? 1_000)
const seed = Number(process.env["HUNT_SEED"] ?? 424_242)

/** Milliseconds that a thousand inputs may take, many times what they need. */
const patience = 20_000

/**
 * A test that hunts for inputs on which a reader fails. HUNT_INPUTS says how many inputs it reads (1,000 where nothing is said),
 * HUNT_SEED what they follow from. Its annotation says how far it came.
 */
export const huntTest = (what: string, reader: Reader): void =>
  it(
    `${what}`,
    async ({ annotate }) => {
      const { covered, fault, inputs: read, kept } = hunt(reader, { seed, inputs })
      await annotate(`${read} inputs of seed ${seed}, ${kept} kept, ${covered} characters of source run`)
      if (fault === undefined) return
      const input = Buffer.from(fault.input)
      throw new Error(
        `It fails on ${JSON.stringify(input.toString("latin1"))} (hexadecimal ${input.toString("hex")}), after ${read} inputs of seed ${seed}`,
        { cause: fault.error }
      )
    },
    Math.max(1, inputs / 1_000) * patience
  )

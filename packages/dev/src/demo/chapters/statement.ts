import type { FloatMovement } from "@bursar/client"
import { Effect } from "effect"
import { ask } from "../ask.ts"
import type { Chapter, Scene } from "../Scene.ts"
import { SceneFailed } from "../SceneFailed.ts"

const currency = "USDT_TRON"

/** The newest lines are enough for a screen. */
const linesMax = 12

const lineOf = ({ amount, balance, description }: FloatMovement): string =>
  `${amount.amount.padStart(12)}  ${balance.amount.padStart(12)}  ${description}`

const account: Scene = {
  name: currency,
  play: ({ client }) =>
    Effect.gen(function* () {
      const statement = yield* ask("client.register.statement", (signal) =>
        client.register.statement({ currency }, { signal })
      )
      const { closing_balance, movements } = statement
      const last = movements.at(-1)?.balance.amount
      if (last !== closing_balance.amount) {
        return yield* new SceneFailed({
          message: `it closes with ${closing_balance.amount}, and its last line says ${last}`
        })
      }
      const { currencies } = yield* ask("client.register.float", (signal) => client.register.float({ signal }))
      const balance = currencies.find(({ available }) => available.currency === currency)?.available.amount
      if (balance !== closing_balance.amount) {
        return yield* new SceneFailed({
          message: `it closes with ${closing_balance.amount}, and available are ${balance}`
        })
      }
      return [
        `${movements.length} lines, closing with ${balance}: what the float has available`,
        ...movements.slice(-linesMax).map(lineOf)
      ].join("\n")
    })
}

/** The partner's statement of a currency. */
export const statement: Chapter = {
  title: "Statement",
  words: "All that has happened to a balance, line by line, each with the balance after it.",
  scenes: [account]
}

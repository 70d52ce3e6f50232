import { poolAdapter } from "@bursar/worker/nodes/poolAdapter"
import type { Plant } from "../world/Plant.ts"

/** Mistakes with two nodes, of which one may lie. */
export const nodeMistakes = {
  "deposit credited by the word of one node": {
    nodes: (_, { reader: { several: _several, ...reader }, ...pooled }) => ({ ...pooled, reader })
  },
  "payout settled by the word of one node": {
    nodes: ([{ adapter }, ...others], pooled) => ({
      ...pooled,
      sender: poolAdapter([{ adapter }, ...others.map((one) => ({ adapter: one.adapter }))]).sender
    })
  }
} as const satisfies Readonly<Record<string, Plant>>

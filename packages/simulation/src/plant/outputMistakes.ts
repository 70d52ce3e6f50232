import { isPut } from "@bursar/core/engine/Records"
import { WalletUtxo } from "@bursar/core/transaction/WalletUtxo"
import { Result } from "effect"
import type { Plant } from "../world/Plant.ts"
import { changing } from "./planting.ts"

/** Mistakes with outputs, which payments of bitcoin are made of. */
export const outputMistakes = {
  "output reserved for two": changing(["ReservePayouts"], (changes) =>
    changes.filter((one) => !isPut(WalletUtxo, one) || one.record.state !== "RESERVED")
  ),
  "last output taken for change": {
    network: ({ codec, ...adapter }) => ({
      ...adapter,
      codec: {
        ...codec,
        read: (unsigned) =>
          Result.map(codec.read(unsigned), ({ payments, ...content }) => ({
            ...content,
            payments: payments.length > 1 ? payments.slice(0, -1) : payments
          }))
      }
    })
  }
} as const satisfies Readonly<Record<string, Plant>>

import { isPut } from "@bursar/core/engine/Records"
import { WalletUtxo } from "@bursar/core/transaction/WalletUtxo"
import type { Plant } from "../world/Plant.ts"
import { changing } from "./planting.ts"

/** Mistakes with outputs, which payments of bitcoin are made of. */
export const outputMistakes = {
  "output reserved for two": changing(["ReservePayouts"], (changes) =>
    changes.filter((one) => !isPut(WalletUtxo, one) || one.record.state !== "RESERVED")
  )
} as const satisfies Readonly<Record<string, Plant>>

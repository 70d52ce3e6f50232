import { isPut } from "@bursar/core/engine/Records"
import { UnsweptImports } from "@bursar/core/operation/UnsweptImports"
import { SweepableDeposit } from "@bursar/core/sweep/SweepableDeposit"
import type { Plant } from "../world/Plant.ts"
import { changing, isPosted } from "./planting.ts"

/** Mistakes with addresses whose keys partners hand over. */
export const importMistakes = {
  "coins of a handed over key left at the partner's": changing(["ImportDepositKey"], (changes) =>
    changes.filter((change) => !isPosted(change))
  ),
  "coins of a handed over key forgotten": changing(["ImportDepositKey"], (changes) =>
    changes.filter((change) => !isPut(SweepableDeposit, change))
  ),
  "coins of a handed over key not counted": changing(["ImportDepositKey"], (changes) =>
    changes.filter((change) => !isPut(UnsweptImports, change))
  )
} as const satisfies Readonly<Record<string, Plant>>

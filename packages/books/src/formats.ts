import { beancount } from "./Beancount.ts"
import { camt053 } from "./Camt053.ts"
import { csv } from "./Csv.ts"
import type { Format } from "./Format.ts"
import { hledger } from "./Hledger.ts"
import { jsonl } from "./Jsonl.ts"

/** All formats by their names. */
export const formats = { hledger, beancount, csv, jsonl, camt053 } as const satisfies Readonly<Record<string, Format>>

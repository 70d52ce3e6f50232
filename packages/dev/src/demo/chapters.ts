import { books } from "./chapters/books.ts"
import { customers } from "./chapters/customers.ts"
import { deposits } from "./chapters/deposits.ts"
import { grants } from "./chapters/grants.ts"
import { payouts } from "./chapters/payouts.ts"
import { statement } from "./chapters/statement.ts"
import { swaps } from "./chapters/swaps.ts"
import { webhooks } from "./chapters/webhooks.ts"
import { withdrawals } from "./chapters/withdrawals.ts"
import type { Chapter } from "./Scene.ts"

/** The story, in its order. */
export const chapters: ReadonlyArray<Chapter> = [
  webhooks,
  deposits,
  payouts,
  grants,
  withdrawals,
  swaps,
  customers,
  statement,
  books
]

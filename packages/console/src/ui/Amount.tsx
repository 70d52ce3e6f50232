import type { Money } from "@bursar/api/wire/Money"
import { groupsOf } from "./groupsOf.ts"

/** Thousands are parted by space that is not text, so that what one copies can be pasted into a search or a form. */
const Grouped = ({ amount }: { readonly amount: string }) =>
  groupsOf(amount).map((digits, n) => (
    // oxlint-disable-next-line react/no-array-index-key -- a group is told from another by its place alone
    <span key={n} className="digits">
      {digits}
    </span>
  ))

/** An amount with every digit that it has; never rounded. */
export const Amount = ({ money }: { readonly money: Money | null }) =>
  money === null ? (
    <span className="muted">–</span>
  ) : (
    <span>
      <Grouped amount={money.amount} /> <span className="muted">{money.currency}</span>
    </span>
  )

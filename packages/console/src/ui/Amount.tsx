import type { Money } from "@bursar/api/wire/Money"

const grouped = (amount: string): string => {
  const [, sign = "", whole = "", rest = ""] = /^(-?)(\d+)(.*)$/u.exec(amount) ?? []
  return whole === "" ? amount : `${sign}${whole.replace(/\B(?=(?:\d{3})+$)/gu, "\u202f")}${rest}`
}

/** An amount with every digit that it has; never rounded. */
export const Amount = ({ money }: { readonly money: Money | null }) =>
  money === null ? (
    <span className="muted">–</span>
  ) : (
    <span>
      {grouped(money.amount)} <span className="muted">{money.currency}</span>
    </span>
  )

import type { Timestamp } from "../base/Timestamp.ts"

/** A calendar month in UTC: `2026-10`. */
export type Period = string

const shape = /^(\d{4})-(0[1-9]|1[0-2])$/u

const startOf = (period: Period, months: number): Timestamp => {
  const [, year, month] = shape.exec(period) ?? []
  if (year === undefined || month === undefined) throw new Error(`${period} is not a month such as 2026-10`)
  return Date.UTC(Number(year), Number(month) - 1 + months)
}

/** When a period begins. */
export const periodStart = (period: Period): Timestamp => startOf(period, 0)

/** When the next period begins. */
export const periodEnd = (period: Period): Timestamp => startOf(period, 1)

/** The period in which a moment is. */
export const periodOf = (at: Timestamp): Period => new Date(at).toISOString().slice(0, 7)

/** The period after another. */
export const nextPeriod = (period: Period): Period => periodOf(periodEnd(period))

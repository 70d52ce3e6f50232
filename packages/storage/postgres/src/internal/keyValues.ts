import { isStorable } from "@bursar/core/base/storable"
import { uuidPattern } from "@bursar/core/base/uuid"
import { type ColumnType, int4, int8, numeric, text, timestamptz, uuid } from "./columnTypes.ts"

const numericPattern = /^(?:0|-?[1-9]\d*|-?(?:0|[1-9]\d*)\.\d*[1-9])$/u

/** The first moment that PostgreSQL has, and the last that JavaScript has, in Unix milliseconds. */
const [firstMoment, lastMoment] = [-210_866_803_200_000, 8_640_000_000_000_000]

/**
 * What the columns of a type hold and give back as it was put. PostgreSQL takes other spellings for the same, such as a UUID in capitals, and
 * the driver cannot send a number beyond its type: what is asked for with it fails for all who asked.
 */
const holds: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  [text.sql, (value: unknown) => typeof value === "string" && isStorable(value)],
  [uuid.sql, (value: unknown) => typeof value === "string" && uuidPattern.test(value)],
  [numeric.sql, (value: unknown) => typeof value === "string" && numericPattern.test(value)],
  [int4.sql, (value: unknown) => typeof value === "number" && (value | 0) === value],
  [int8.sql, (value: unknown) => typeof value === "bigint" && BigInt.asIntN(64, value) === value],
  [
    timestamptz.sql,
    (value: unknown) => {
      const at = value instanceof Date ? value.getTime() : value
      return typeof at === "number" && Number.isInteger(at) && at >= firstMoment && at <= lastMoment
    }
  ]
])

/** Whether a value can be a key in a column of a type: it can be sent as one, and would come back as it was put. */
export const canBeKey = ({ sql }: ColumnType, value: unknown): boolean => holds.get(sql)?.(value) !== false

import type { Migration } from "./Migration.ts"
import { guardValues } from "./readableValues.ts"

/** No row holds a moment of a year that no program can read. */
export const readableYears: Migration = {
  id: 87,
  name: "readable_years",
  statements: (sql) => [guardValues(sql)]
}

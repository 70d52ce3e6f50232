import { Export } from "./books/Export.tsx"
import { Income } from "./books/Income.tsx"
import { ServicePeriods } from "./books/Periods.tsx"
import { Solvency } from "./books/Solvency.tsx"

/** What accountants and partners are shown. */
export const Books = () => (
  <>
    <h1>Books</h1>
    <ServicePeriods />
    <Income />
    <Export />
    <Solvency />
  </>
)

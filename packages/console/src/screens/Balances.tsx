import { Link } from "wouter"
import { useRead } from "../api/hooks.ts"
import { Boundary } from "../shell/Boundary.tsx"
import { screen } from "../shell/screen.tsx"
import { Loaded } from "../ui/Loaded.tsx"
import { WhenSeen } from "../ui/WhenSeen.tsx"
import { FloatOf } from "./FloatOf.tsx"

const BalancesOverTime = screen(() => import("./BalancesOverTime.tsx"), "BalancesOverTime", "part of the page")

/** What every tenant has. */
export const Balances = () => {
  const tenants = useRead(["tenants"], (api) => api.tenants.list())
  return (
    <>
      <h1>Balances</h1>
      <Loaded of={tenants}>
        {({ tenants: all }) =>
          all.length === 0 ? (
            <p className="muted">
              There is no tenant yet. <Link href="/tenants">Create one</Link>.
            </p>
          ) : (
            all.map(({ id, slug }) => <FloatOf key={id} id={id} title={slug} />)
          )
        }
      </Loaded>
      <WhenSeen otherwise="Further down: balances over time.">
        <Boundary part="part of the page">
          <BalancesOverTime />
        </Boundary>
      </WhenSeen>
    </>
  )
}

import { Link } from "wouter"
import { OfTenant } from "../ui/OfTenant.tsx"
import { AddressList } from "./deposits/AddressList.tsx"
import { Reorged } from "./deposits/Reorged.tsx"
import { Scans } from "./deposits/Scans.tsx"
import { Xpubs } from "./deposits/Xpubs.tsx"

/** Where a tenant's deposits arrive: addresses, the keys that they follow from, what left the chain, and reading the past again. */
export const Addresses = () => (
  <>
    <div className="head">
      <h1>Addresses</h1>
      <Link href="/deposits">Deposits</Link>
    </div>
    <OfTenant>
      {(tenant) => (
        <>
          <AddressList key={tenant.id} tenant={tenant} />
          <Xpubs id={tenant.id} />
          <Reorged id={tenant.id} />
        </>
      )}
    </OfTenant>
    <Scans />
  </>
)

/** The screens in the order of the day, each with the key that follows `g`. */
export const places = [
  { path: "/", title: "Home", key: "h" },
  { path: "/operations", title: "Operations", key: "o" },
  { path: "/approvals", title: "Approvals", key: "a" },
  { path: "/deposits", title: "Deposits", key: "d" },
  { path: "/wallets", title: "Wallets", key: "w" },
  { path: "/balances", title: "Balances", key: "b" },
  { path: "/reconciliation", title: "Reconciliation", key: "r" },
  { path: "/books", title: "Books", key: "k" },
  { path: "/tenants", title: "Tenants", key: "t" },
  { path: "/customers", title: "Customers", key: "c" },
  { path: "/networks", title: "Networks", key: "n" },
  { path: "/audit", title: "Audit", key: "l" },
  { path: "/settings", title: "Settings", key: "s" }
] as const

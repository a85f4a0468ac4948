void import('./consume.mjs').then(({ consume }) => consume((name) => import(name)))

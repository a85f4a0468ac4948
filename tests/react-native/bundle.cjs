// Bundles an entry as `react-native bundle` does: node bundle.cjs <entry> <output> <platform>.
const Metro = require('metro')

const [, , entry, out, platform] = process.argv

async function bundle() {
  const config = await Metro.loadConfig({ cwd: __dirname })
  await Metro.runBuild(config, { entry, out, platform, dev: false, minify: false })
}

bundle().then(
  () => process.exit(0),
  (error) => {
    console.error(String(error))
    process.exit(1)
  },
)

import { route } from '@react-router/dev/routes'

export default [route('groups', './groups.jsx')]

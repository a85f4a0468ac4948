import { computed, defineComponent, h, onMounted, reactive, ref, watch } from 'vue'
import { columnsOf, type Filter, filterReasons, filterTable, groupsOf } from './filter-table.ts'

/** A table with a form that shows a part of it; without JavaScript it is the whole table. */
export const FilteredTable = defineComponent({
  name: 'FilteredTable',
  props: {
    /** The name of what the columns are, such as `client`; `kind` filters rows alone. */
    by: { type: String, required: true },
  },
  setup(props, { slots }) {
    const frame = ref<HTMLElement>()
    const table = computed(() => frame.value?.querySelector('table') ?? undefined)
    const chosen = reactive<Filter>({ column: '', group: '', isDifferent: false })
    const shown = ref('')
    const columns = ref<readonly string[]>([])
    const groups = ref<readonly string[]>([])
    const hasColumns = props.by !== 'kind'

    onMounted(() => {
      if (!table.value) return
      columns.value = hasColumns ? columnsOf(table.value) : []
      groups.value = groupsOf(table.value)
      shown.value = filterTable(table.value, chosen)
    })
    watch(chosen, () => {
      if (!table.value) return
      shown.value = filterTable(table.value, chosen)
      const next = frame.value?.nextElementSibling
      if (next instanceof HTMLUListElement) filterReasons(next, chosen.column)
    })

    const select = (name: 'column' | 'group', label: string, names: readonly string[]) =>
      h('label', [
        h('span', label),
        h(
          'select',
          {
            value: chosen[name],
            onChange: (event: Event) => {
              if (event.target instanceof HTMLSelectElement) chosen[name] = event.target.value
            },
          },
          ['', ...names].map((each) => h('option', { value: each }, each || 'all')),
        ),
      ])
    const form = () =>
      h('form', { class: 'table-filter', onSubmit: (event: Event) => event.preventDefault() }, [
        ...(hasColumns ? [select('column', props.by, columns.value)] : []),
        ...(groups.value.length > 1
          ? [select('group', hasColumns ? 'topic' : 'kind', groups.value)]
          : []),
        ...(hasColumns
          ? [
              h('label', [
                h('input', {
                  type: 'checkbox',
                  checked: chosen.isDifferent,
                  onChange: (event: Event) => {
                    if (event.target instanceof HTMLInputElement)
                      chosen.isDifferent = event.target.checked
                  },
                }),
                h('span', 'only what is not ✓'),
              ]),
            ]
          : []),
        h('output', { role: 'status' }, shown.value),
      ])
    return () =>
      h('div', { ref: frame, class: ['filtered-table', `by-${props.by || 'row'}`] }, [
        // Before it is mounted there is nothing that a form could do.
        shown.value ? form() : undefined,
        slots['default']?.(),
      ])
  },
})

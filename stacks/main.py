from pcs_stacks.app import main

main()
